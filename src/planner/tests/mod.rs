mod cases;
mod exhaustive;
mod feedback;
mod limits;
mod tampered;
mod theorems;
mod two_nodes;
