//! What operators of MIG clusters do with the command.

mod check;
