//! What each model keeps of an instance.

use super::instance_file::InstanceFile;
use super::wings::wings;
use ground::Complaints;
use kit::{Common, Wing};

macro_rules! sections {
    ($($(#[$doc:meta])* $name:ident: $wing:ty,)+) => {
        /// What each model keeps of an instance: its section, read and validated; the defaults where the file has none.
        #[derive(Clone, Debug)]
        #[non_exhaustive]
        pub struct Sections {
            $(
                $(#[$doc])*
                pub $name: <$wing as Wing>::Given,
            )+
        }

        impl Sections {
            /// Reads the sections of a file; `None` when one of them breaks a rule, of which it then complains.
            pub(super) fn read(
                file: &mut InstanceFile,
                common: Common<'_>,
                complaints: &mut Complaints,
            ) -> Option<Self> {
                $(let $name = complaints.keep(<$wing>::read(common, file.$name.as_mut()));)+
                Some(Sections { $($name: $name?,)+ })
            }
        }
    };
}
wings!(sections);
