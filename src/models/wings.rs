//! The wings themselves: what each model alone has.

/// The models, a line each, the default first, for a macro to make something of: the name of the section in instance files, and the
/// wing.
macro_rules! wings {
    ($made:ident) => {
        $made! {
            /// Settings of model wpm.
            wpm: wpm::Wpm,
            /// Settings of model siavashi.
            siavashi: siavashi::Siavashi,
            /// The problem of model migrator, which has a GPU of its own.
            migrator: migrator::Migrator,
            /// The problem of model sharing, which has servers of its own and no GPUs.
            sharing: sharing::Sharing,
        }
    };
}
pub(crate) use wings;

macro_rules! exports {
    ($($(#[$doc:meta])* $name:ident: $wing:ty,)+) => {
        $(pub use ::$name;)+
    };
}
wings!(exports);
