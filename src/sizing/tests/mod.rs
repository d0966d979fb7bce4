mod brute_force;
mod pinned;
mod refused;
