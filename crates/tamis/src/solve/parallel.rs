//! Work on all cores, with a result that does not depend on how many there are.

use std::sync::Mutex;
use std::thread;

/// Calls `work` with each number below `count`; the results are in their order.
pub(crate) fn map<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let threads = thread::available_parallelism().map_or(1, Into::into).min(count);
    if threads <= 1 {
        return (0..count).map(work).collect();
    }
    let numbers = Mutex::new(0..count);
    let next = || numbers.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next();
    let mut results: Vec<(usize, T)> = thread::scope(|scope| {
        let worker = || std::iter::from_fn(next).map(|n| (n, work(n))).collect::<Vec<_>>();
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        let joined = workers.into_iter().flat_map(|worker| match worker.join() {
            Ok(results) => results,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        joined.collect()
    });
    results.sort_unstable_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Calls `work` with each item.
pub(crate) fn for_each<T: Send>(items: &mut [T], work: impl Fn(&mut T) + Sync) {
    let items: Vec<Mutex<&mut T>> = items.iter_mut().map(Mutex::new).collect();
    map(items.len(), |number| {
        work(&mut items[number].lock().unwrap_or_else(std::sync::PoisonError::into_inner));
    });
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_are_in_order() {
        assert_eq!(super::map(1000, |n| n * n), (0..1000).map(|n| n * n).collect::<Vec<_>>());
        assert!(super::map(0, |n| n).is_empty());
        let mut list = vec![1; 100];
        super::for_each(&mut list, |item| *item += 1);
        assert_eq!(list, [2; 100]);
    }
}
