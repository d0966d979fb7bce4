//! What every search that runs on any solver must do.

mod prove;
