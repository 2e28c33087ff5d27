/// The open window of a client: its state machine with the connection, the tasks and the calls that wait.
struct OpenWindow {
    /// The number of the window: a call for an earlier one has no effect.
    let number: Int
    let queue: WindowEventQueue
    var machine: WindowMachine
    /// The connection, while there is one.
    var connection: (any WindowConnection)?
    /// The token of the connection.
    var token: String?
    /// The calls that wait for the gateway's response, by the ids of their messages.
    var sends: [ByteText: CheckedContinuation<SentMessage, any Error>] = [:]
    var connectTask: Task<Void, Never>?
    var readTask: Task<Void, Never>?
    var pingTask: Task<Void, Never>?
    var tokenTask: Task<Void, Never>?
    var timer: Task<Void, Never>?
    var timerAt: Duration?

    /// Stops everything that runs for the window.
    func cancelTasks() {
        for task in [connectTask, readTask, pingTask, tokenTask, timer] { task?.cancel() }
    }
}
