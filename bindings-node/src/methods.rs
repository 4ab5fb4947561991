//! Generates both forms of a method, on a worker and blocking, from one line.

/// Methods of `NativeMemory`: the name of each form, the arguments, the result, its type in
/// TypeScript, and the function between plain inputs and outputs that both forms call.
/// Types are in brackets.
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

/// Like [`methods`], for methods that use the embedder if an expression of their arguments
/// says so: one in JavaScript must not block a libuv worker, and is served during a
/// blocking call.
macro_rules! embedding_methods {
    ($(
        $name:ident / $sync:ident ($($argument:ident: [$($type:tt)+]),*)
            -> [$($result:tt)+] as $typescript:tt = $call:ident when ($asks:expr);
    )+) => {
        #[napi]
        impl NativeMemory {
            $(
                #[napi(catch_unwind, ts_return_type = $typescript)]
                pub fn $name<'env>(
                    &self,
                    env: &'env napi::Env,
                    $($argument: $($type)+,)*
                    cancel: Option<&crate::cancel::NativeCancel>,
                ) -> napi::Result<crate::pool::Promised<'env, $($result)+>> {
                    let cancel = crate::cancel::switch(cancel);
                    let job = self.later(cancel, move |memory| $call(memory, $($argument),*));
                    self.start(env, job)
                }

                #[napi(catch_unwind)]
                pub fn $sync(
                    &self,
                    $($argument: $($type)+,)*
                    #[napi(ts_arg_type = "((request: NativeRequest | null) => void) | undefined | null")]
                    embed: Option<crate::js_calls::Ask<'_>>,
                ) -> crate::outcome::Outcome<$($result)+> {
                    let served = self.served(embed.filter(|_| $asks));
                    self.now(|memory| crate::js_calls::serve(&served, || $call(memory, $($argument),*)))
                }
            )+
        }
    };
}

/// Like [`methods`], for functions that need no memory.
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
                    None,
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

pub(crate) use {embedding_methods, functions, methods};
