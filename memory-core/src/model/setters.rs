//! The setters of options.

/// Defines setters for the fields of a struct of options, which only the core can make by a
/// literal, so that it can grow. `name: text` stores what becomes a `String`, `name: texts` a
/// list of them, `name: list of T` any values of `T`, `name: some T` and `name: some text` an
/// `Option`, and `name: T` the value itself.
macro_rules! setters {
    () => {};
    ($(#[$doc:meta])* $field:ident: text; $($rest:tt)*) => {
        $(#[$doc])*
        #[must_use]
        pub fn $field(mut self, $field: impl Into<String>) -> Self {
            self.$field = $field.into();
            self
        }
        $crate::model::setters::setters! { $($rest)* }
    };
    ($(#[$doc:meta])* $field:ident: some text; $($rest:tt)*) => {
        $(#[$doc])*
        #[must_use]
        pub fn $field(mut self, $field: impl Into<String>) -> Self {
            self.$field = Some($field.into());
            self
        }
        $crate::model::setters::setters! { $($rest)* }
    };
    ($(#[$doc:meta])* $field:ident: texts; $($rest:tt)*) => {
        $(#[$doc])*
        #[must_use]
        pub fn $field(mut self, $field: impl IntoIterator<Item = impl Into<String>>) -> Self {
            self.$field = $field.into_iter().map(Into::into).collect();
            self
        }
        $crate::model::setters::setters! { $($rest)* }
    };
    ($(#[$doc:meta])* $field:ident: some texts; $($rest:tt)*) => {
        $(#[$doc])*
        #[must_use]
        pub fn $field(mut self, $field: impl IntoIterator<Item = impl Into<String>>) -> Self {
            self.$field = Some($field.into_iter().map(Into::into).collect());
            self
        }
        $crate::model::setters::setters! { $($rest)* }
    };
    ($(#[$doc:meta])* $field:ident: list of $item:ty; $($rest:tt)*) => {
        $(#[$doc])*
        #[must_use]
        pub fn $field(mut self, $field: impl IntoIterator<Item = $item>) -> Self {
            self.$field = $field.into_iter().collect();
            self
        }
        $crate::model::setters::setters! { $($rest)* }
    };
    ($(#[$doc:meta])* $field:ident: some $value:ty; $($rest:tt)*) => {
        $(#[$doc])*
        #[must_use]
        pub fn $field(mut self, $field: $value) -> Self {
            self.$field = Some($field);
            self
        }
        $crate::model::setters::setters! { $($rest)* }
    };
    ($(#[$doc:meta])* $field:ident: $value:ty; $($rest:tt)*) => {
        $(#[$doc])*
        #[must_use]
        pub fn $field(mut self, $field: $value) -> Self {
            self.$field = $field;
            self
        }
        $crate::model::setters::setters! { $($rest)* }
    };
}

pub(crate) use setters;
