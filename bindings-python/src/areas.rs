//! The areas of a memory, `memory.tasks`, `memory.knowledge` and so on; each concern's file
//! adds the hand-written methods.

/// Defines a class per area, which holds the memory's handle, and the memory's property
/// that returns it.
macro_rules! areas {
    ($($(#[$docs:meta])* $class:ident = $name:ident;)+) => {
        $(
            $(#[$docs])*
            #[pyclass(frozen, module = "recallite")]
            pub(crate) struct $class(Py<Memory>);

            impl Deref for $class {
                type Target = Memory;

                fn deref(&self) -> &Memory {
                    self.0.get()
                }
            }

            #[pymethods]
            impl $class {
                fn __traverse__(
                    &self,
                    visit: pyo3::PyVisit<'_>,
                ) -> Result<(), pyo3::PyTraverseError> {
                    visit.call(&self.0)
                }

                fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
                    guarded(py, "repr", || {
                        let memory = self.0.bind(py).repr()?;
                        Ok(format!("<recallite.{} of {memory}>", stringify!($class)))
                    })
                }
            }
        )+

        #[pymethods]
        impl Memory {
            $(
                $(#[$docs])*
                #[getter]
                fn $name(slf: Py<Self>) -> $class {
                    $class(slf)
                }
            )+
        }
    };
}

pub(crate) use areas;
