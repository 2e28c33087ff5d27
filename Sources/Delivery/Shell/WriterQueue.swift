import Dispatch

/// The executor of the writer's task, whose thread the store may block until a commit is synced.
///
/// On the shared threads each commit would change threads twice, to the store's and back: on a host whose processors
/// are busy each change waits its turn, and the longest waits are several times as long as a short commit.
final class WriterQueue: TaskExecutor {
    private let queue = DispatchQueue(label: "switchboard.writer", qos: .userInitiated)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
