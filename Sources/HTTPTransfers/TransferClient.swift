internal import Synchronization

/// An HTTP client over libcurl, with HTTP/2 where the peer has it, and with connections of its own.
///
/// TLS is version 1.2 at least and verifies certificates. The environment has no effect: no proxies, no netrc. Header
/// fields of a response have a limit, bodies are not decompressed. Libcurl's connections live on one thread, which all
/// clients of the process share. Any task; a client that is released closes its connections after its last call.
package final class TransferClient: Sendable {
    /// The maximum of bytes of a response's header fields, with those of responses 1xx before it.
    package static let maxHeaderBytes = 64 << 10

    private let core: TransferClientCore

    /// Creates a client; it connects with its first request.
    ///
    /// - Parameters:
    ///   - trustRootsFile: A PEM file of trusted roots in addition to the system's; it is read when connections open.
    ///   - maxIdleConnections: The upper bound of idle connections for later requests; with 0 each request opens one.
    ///     An idle connection is closed after a minute at the latest if the client has no calls.
    ///   - maxCalls: The upper bound of calls at once; one more fails with ``TransferFailure/Reason/unavailable``.
    package init(trustRootsFile: String? = nil, maxIdleConnections: Int = 8, maxCalls: Int = 4096) {
        core = TransferClientCore(
            trustRootsFile: trustRootsFile,
            maxIdleConnections: maxIdleConnections,
            maxCalls: maxCalls
        )
    }

    deinit { TransferThread.shared?.post(.close(core, isCancelling: false, nil)) }

    /// Sends a request and returns the response with its whole body.
    ///
    /// - Throws: ``TransferFailure``; ``TransferFailure/Reason/tooLarge`` when the body is longer than `maxBodyBytes`.
    ///   Returns at once when the task is cancelled.
    package func send(
        _ request: TransferRequest,
        maxBodyBytes: Int
    ) async throws(TransferFailure) -> TransferResponse {
        let transfer = try core.start(request, maxBodyBytes: maxBodyBytes)
        return try await transfer.response()
    }

    /// Sends a request and returns the head of the response, with its body as a stream without a limit.
    ///
    /// - Throws: ``TransferFailure``. Returns at once when the task is cancelled.
    package func stream(
        _ request: TransferRequest
    ) async throws(TransferFailure) -> (head: TransferResponse, body: TransferBody) {
        let body = TransferBody(try core.start(request, maxBodyBytes: nil))
        return (try await body.transfer.head(), body)
    }

    /// Closes the idle connections; later calls fail.
    ///
    /// - Parameter isCancelling: Whether calls in flight fail now. Otherwise they end first, without being waited for.
    package func close(isCancelling: Bool) async {
        core.close()
        guard let thread = TransferThread.shared else { return }
        await withCheckedContinuation { thread.post(.close(core, isCancelling: isCancelling, $0)) }
    }
}

/// The settings of a client and the count of its calls, shared with the thread.
final class TransferClientCore: Sendable {
    private struct State {
        var calls = 0
        var isClosed = false
    }

    private static let lastID = Atomic<UInt32>(0)

    /// The number of the client in this process; never 0.
    let id: UInt32
    let trustRootsFile: String?
    let maxIdleConnections: Int
    private let maxCalls: Int
    private let state = Mutex(State())

    init(trustRootsFile: String?, maxIdleConnections: Int, maxCalls: Int) {
        id = Self.lastID.wrappingAdd(1, ordering: .relaxed).newValue
        self.trustRootsFile = trustRootsFile
        self.maxIdleConnections = maxIdleConnections
        self.maxCalls = maxCalls
    }

    func start(_ request: TransferRequest, maxBodyBytes: Int?) throws(TransferFailure) -> Transfer {
        guard request.isValid else { throw TransferFailure(.invalidRequest) }
        guard let thread = TransferThread.shared else { throw TransferFailure(.unavailable) }
        let isAdmitted = state.withLock { state in
            guard !state.isClosed, state.calls < maxCalls else { return false }
            state.calls += 1
            return true
        }
        guard isAdmitted else { throw TransferFailure(.unavailable) }
        let transfer = Transfer(request, core: self, thread: thread, maxBodyBytes: maxBodyBytes)
        thread.post(.start(transfer))
        return transfer
    }

    /// Counts the end of a call.
    func ended() { state.withLock { $0.calls -= 1 } }

    func close() { state.withLock { $0.isClosed = true } }
}
