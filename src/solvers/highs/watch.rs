//! What HiGHS calls back while it runs: to be interrupted, to stop at a relative gap and to tell of progress.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::atomic::{AtomicBool, Ordering};

use highs_sys::{HighsCallbackDataIn, HighsCallbackDataOut, HighsInt};

use solver::{Log, Request, relative_gap};

/// The callbacks to start. That of progress stays silent while HiGHS's log is off; unlike that of interruption it tells of the
/// whole search alone, not of searches inside it. The last one is for the log.
static KINDS: [HighsInt; 5] = [
    highs_sys::kHighsCallbackSimplexInterrupt,
    highs_sys::kHighsCallbackIpmInterrupt,
    highs_sys::kHighsCallbackMipInterrupt,
    highs_sys::kHighsCallbackMipLogging,
    highs_sys::kHighsCallbackLogging,
];

/// The listener of one run.
pub(crate) struct Watch<'a> {
    request: &'a Request<'a>,
    stage: &'a str,
    /// The relative gap at which to stop, if there is one.
    stops_at: Option<f64>,
    gap_reached: AtomicBool,
    log: Option<Log>,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(
        request: &'a Request<'a>,
        stage: &'a str,
        stops_at: Option<f64>,
        log: Option<Log>,
    ) -> Self {
        Watch { request, stage, stops_at, gap_reached: AtomicBool::new(false), log }
    }

    /// The callbacks to start.
    pub(super) fn kinds(&self) -> &'static [HighsInt] {
        if self.log.is_some() { &KINDS } else { &KINDS[..KINDS.len() - 1] }
    }

    /// Whether the watch stopped the run because its relative gap was reached: by what HiGHS told, which may be of a
    /// search inside the search.
    pub(crate) fn gap_reached(&self) -> bool {
        self.gap_reached.load(Ordering::Relaxed)
    }

    /// Takes note of the state of an integer search, or of one inside it.
    fn observe(&self, data: &HighsCallbackDataOut) {
        let (primal, bound) = (data.mip_primal_bound, data.mip_dual_bound);
        if let Some(allowed) = self.stops_at
            && primal.is_finite()
            && bound.is_finite()
            && relative_gap(primal, bound) <= allowed
        {
            self.gap_reached.store(true, Ordering::Relaxed);
        }
    }

    fn must_stop(&self) -> bool {
        self.gap_reached() || self.request.control.is_interrupted()
    }

    fn report(&self, data: &HighsCallbackDataOut) {
        let finite = |value: f64| value.is_finite().then_some(value);
        let nodes = u64::try_from(data.mip_node_count).unwrap_or(0);
        self.request.control.report(
            self.stage,
            finite(data.mip_primal_bound),
            finite(data.mip_dual_bound),
            nodes,
        );
    }
}

/// The function that HiGHS calls.
///
/// # Safety
///
/// `user_data` must point to a [`Watch`] that lives until the callbacks are stopped; the other pointers are those of HiGHS.
pub(super) unsafe extern "C" fn callback(
    kind: c_int,
    message: *const c_char,
    data_out: *const HighsCallbackDataOut,
    data_in: *mut HighsCallbackDataIn,
    user_data: *mut c_void,
) {
    // SAFETY: `Native::run` passes a watch that it borrows for the whole run. HiGHS may call from several threads, which
    // share it: it is only read, but for one atomic flag.
    let watch = unsafe { &*user_data.cast::<Watch>() };
    if let Some(log) = &watch.log
        && kind == highs_sys::kHighsCallbackLogging
        && !message.is_null()
    {
        // SAFETY: messages are NUL-terminated.
        log.write(unsafe { CStr::from_ptr(message) }.to_bytes());
    }
    // SAFETY: HiGHS passes either a valid structure or null.
    if let Some(data) = unsafe { data_out.as_ref() } {
        match kind {
            highs_sys::kHighsCallbackMipInterrupt => watch.observe(data),
            highs_sys::kHighsCallbackMipLogging => watch.report(data),
            _ => {}
        }
    }
    // SAFETY: as above.
    if let Some(answer) = unsafe { data_in.as_mut() } {
        answer.user_interrupt = c_int::from(watch.must_stop());
    }
}
