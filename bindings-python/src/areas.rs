//! The areas of a memory: `memory.tasks`, `memory.knowledge` and so on, each with
//! the methods that are written by hand in the file of its concern.

pub(crate) use crate::generated::areas::*;

/// A class for each area, which keeps the memory's handle, and the property of the
/// memory that gives it.
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
