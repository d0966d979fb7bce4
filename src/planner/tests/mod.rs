mod cases;
mod exhaustive;
mod feedback;
mod limits;
mod open;
mod tampered;
mod theorems;
mod two_nodes;
