//! Writes the two forms of a method, on a worker and blocking, from one line.

/// Methods of `NativeMemory`: the name of each form, the arguments, the result,
/// the result's type in TypeScript and the function between plain inputs and
/// plain outputs that both forms call. Types stand in brackets.
macro_rules! methods {
    ($(
        $name:ident / $sync:ident ($($argument:ident: [$($type:tt)+]),*)
            -> [$($result:tt)+] as $typescript:tt = $call:path;
    )+) => {
        #[napi]
        impl NativeMemory {
            $(
                #[napi(catch_unwind, ts_return_type = $typescript)]
                pub fn $name(
                    &self,
                    $($argument: $($type)+,)*
                    cancel: Option<&crate::cancel::NativeCancel>,
                ) -> napi::bindgen_prelude::AsyncTask<crate::outcome::Job<$($result)+>> {
                    let cancel = crate::cancel::switch(cancel);
                    napi::bindgen_prelude::AsyncTask::new(
                        self.later(cancel, move |memory| $call(memory, $($argument),*)),
                    )
                }

                #[napi(catch_unwind)]
                pub fn $sync(
                    &self,
                    $($argument: $($type)+),*
                ) -> crate::outcome::Outcome<$($result)+> {
                    self.now(|memory| $call(memory, $($argument),*))
                }
            )+
        }
    };
}

/// As [`methods`], of functions that need no memory.
macro_rules! functions {
    ($(
        $name:ident / $sync:ident ($($argument:ident: [$($type:tt)+]),*)
            -> [$($result:tt)+] as $typescript:tt = $call:path;
    )+) => {
        $(
            #[napi(catch_unwind, ts_return_type = $typescript)]
            pub fn $name(
                $($argument: $($type)+,)*
                cancel: Option<&crate::cancel::NativeCancel>,
            ) -> napi::bindgen_prelude::AsyncTask<crate::outcome::Job<$($result)+>> {
                let cancel = crate::cancel::switch(cancel);
                napi::bindgen_prelude::AsyncTask::new(crate::outcome::Job::new(
                    Default::default(),
                    cancel,
                    move || $call($($argument),*),
                ))
            }

            #[napi(catch_unwind)]
            pub fn $sync($($argument: $($type)+),*) -> crate::outcome::Outcome<$($result)+> {
                crate::outcome::quick(|| $call($($argument),*))
            }
        )+
    };
}

pub(crate) use {functions, methods};
