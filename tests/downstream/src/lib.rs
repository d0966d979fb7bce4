//! Best fit: what runs stays where it is, and each newcomer goes where the least is left over.

use migopt::Solution;
use migopt::model::wpm::{GpuRole, QuestionBoard, QuestionDocument, QuestionGpu, QuestionWorkload, Role};
use std::cmp::Reverse;

/// Proposes a solution.
pub fn best_fit(question: &QuestionDocument) -> Solution {
    let mut fleet = Fleet::of(question);
    let mut solution = Solution::to(question.instance.clone());
    for workload in &question.workloads {
        if let Some(spot) = &workload.current {
            let gpu = fleet.position(&spot.gpu);
            fleet.put(workload, gpu, spot.start);
            solution = solution.place(&workload.name, &spot.gpu, spot.start);
        }
    }
    for workload in question.workloads.iter().filter(|workload| workload.role == Role::Newcomer) {
        if let Some((gpu, start)) = fleet.best_place(workload) {
            fleet.put(workload, gpu, start);
            solution = solution.place(&workload.name, &question.gpus[gpu].name, start);
        }
    }
    solution
}

/// What the GPUs hold.
struct Fleet<'q> {
    question: &'q QuestionDocument,
    /// Taken memory slots of each GPU, a bit for each.
    taken: Vec<u64>,
    /// Profiles on each GPU.
    held: Vec<Vec<&'q str>>,
}

impl<'q> Fleet<'q> {
    fn of(question: &'q QuestionDocument) -> Self {
        let gpus = question.gpus.len();
        Fleet { question, taken: vec![0; gpus], held: vec![Vec::new(); gpus] }
    }

    fn position(&self, name: &str) -> usize {
        self.question.gpus.iter().position(|gpu| gpu.name == name).expect("the question names its GPUs")
    }

    fn board(&self, gpu: &QuestionGpu) -> &'q QuestionBoard {
        &self.question.boards[&gpu.board]
    }

    fn put(&mut self, workload: &'q QuestionWorkload, gpu: usize, start: u8) {
        let profile = &workload.profiles[&self.question.gpus[gpu].board];
        let size = self.board(&self.question.gpus[gpu]).profiles[profile].size;
        self.taken[gpu] |= slots(start, size);
        self.held[gpu].push(profile);
    }

    /// The GPU that is left with the fewest free slots, and the highest start there.
    fn best_place(&self, workload: &QuestionWorkload) -> Option<(usize, u8)> {
        let mut candidates = Vec::new();
        for (position, gpu) in self.question.gpus.iter().enumerate() {
            let Some(profile) = workload.profiles.get(&gpu.board) else { continue };
            if gpu.role == GpuRole::NotConsidered || !self.within_limits(position, profile) {
                continue;
            }
            let about = &self.board(gpu).profiles[profile];
            let free = |start: u8| slots(start, about.size) & self.taken[position] == 0;
            for &start in about.starts.iter().filter(|&&start| free(start)) {
                let left = self.board(gpu).slots - self.taken[position].count_ones() - about.size;
                candidates.push((left, Reverse(start), &gpu.name, position));
            }
        }
        candidates.into_iter().min().map(|(_, Reverse(start), _, position)| (position, start))
    }

    /// Whether limits of the board, such as one instance with media engines, allow one more of the profile.
    fn within_limits(&self, gpu: usize, profile: &str) -> bool {
        self.board(&self.question.gpus[gpu]).limits.iter().all(|limit| {
            let usage = |name: &str| limit.usage.get(name).copied().unwrap_or(0);
            let used: u32 = self.held[gpu].iter().map(|name| usage(name)).sum();
            used + usage(profile) <= limit.capacity
        })
    }
}

/// The memory slots of an instance, a bit for each.
fn slots(start: u8, size: u32) -> u64 {
    ((1 << size) - 1) << start
}
