//! Where the code of a solver comes from.

use std::ffi::{CStr, OsStr, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// The shared library that holds a static string; `None` when it is in the same file as this code.
pub(super) fn shared_library(text: &'static [u8]) -> Option<PathBuf> {
    static HERE: u8 = 0;
    let here = holder((&raw const HERE).cast())?;
    holder(text.as_ptr().cast()).filter(|holder| holder.base != here.base).map(|holder| holder.path)
}

/// A loaded file: a program or a shared library.
struct Holder {
    base: *mut c_void,
    path: PathBuf,
}

fn holder(address: *const c_void) -> Option<Holder> {
    let mut info = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    // SAFETY: any address may be asked for; `info` outlives the call.
    if unsafe { libc::dladdr(address, &raw mut info) } == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the loader keeps the NUL-terminated name of a file for as long as that is loaded, which here is for ever.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    Some(Holder { base: info.dli_fbase, path: PathBuf::from(OsStr::from_bytes(name.to_bytes())) })
}
