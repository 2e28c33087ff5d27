import Logging

extension SwitchboardClient {
    /// Opens the messaging window; one that is open already is closed first.
    ///
    /// The window connects in the background, as often as it is needed: its state comes as an event. The unread count
    /// falls once it is ready, with the messages that were downloaded.
    ///
    /// - Parameters:
    ///   - options: The options.
    ///   - authentication: The credential. In the code flow each opening needs a fresh code; any other credential is
    ///     used if the session has none yet.
    /// - Returns: The window.
    /// - Throws: `providerMissing` without a ``WindowTransport``, `tokenExpired` if the code of the session is used
    ///   up and none was given, `notInitialized`, `disabled`.
    public func openWindow(
        _ options: WindowOptions = WindowOptions(),
        authentication: AuthenticationParameters? = nil
    ) throws(SwitchboardError) -> MessagingWindow {
        _ = try session.admit()
        try configuration.check()
        guard windowTransport != nil else {
            let message = "this platform has no WebSocket of its own: give the client a window transport"
            throw SwitchboardError(.providerMissing, message, reason: "windowTransport")
        }
        if authentication == nil, isCodeSpent {
            throw SwitchboardError(.tokenExpired, "the code was used; each opening of the window needs a fresh one")
        }
        if let window { closeWindow(window.number) }
        if let authentication, case .code = authentication.credential {
            adopt(.parameters(authentication))
        } else {
            try adoptIfNeeded(authentication)
        }
        let number = nextNumber()
        let queue = WindowEventQueue()
        let retry = configuration.retry
        let machine = WindowMachine(options, policy: retry.window, sendPolicy: retry.messages)
        window = OpenWindow(number: number, queue: queue, machine: machine)
        step(number) { $0.open() }
        return MessagingWindow(client: self, number: number, queue: queue)
    }

    /// Closes a window for the app.
    func closeWindow(_ number: Int) { step(number) { $0.close(nil) } }

    /// Ends the window of a consumer whose session ends: what the app has not read of it is dropped.
    func endWindow() {
        guard let window else { return }
        window.queue.clear()
        step(window.number) { $0.close(SwitchboardError(.sessionEnded, "the session of the window ended")) }
    }

    /// Passes a fresh credential of the app to the window.
    func renewWindow() {
        guard let window else { return }
        let number = window.number
        if window.machine.phase == .open {
            // Its token is that of the earlier credential.
            self.window?.tokenTask?.cancel()
            self.window?.tokenTask = Task { await reauthenticate(number) }
        }
        step(number) { $0.credentialReplaced(isFresh: true) }
    }

    /// Continues a window that waited for a token.
    func continueWindow() {
        guard let window else { return }
        step(window.number) { $0.credentialReplaced(isFresh: false) }
    }

    // MARK: Calls of the window

    /// Sends a message of the consumer and waits for the response.
    func sendMessage(_ message: OutgoingMessage, in number: Int) async throws(SwitchboardError) -> SentMessage {
        try message.check()
        guard window?.number == number else { throw SwitchboardError(.cancelled, "the window is closed") }
        guard window?.sends[ByteText(message.clientID)] == nil else {
            throw SwitchboardError(.conflict, "a message with this clientID is being sent")
        }
        return try await typed { try await waitForStored(message, in: number) }
    }

    private func waitForStored(_ message: OutgoingMessage, in number: Int) async throws -> SentMessage {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                window?.sends[ByteText(message.clientID)] = continuation
                let now = clock.uptime
                step(number) { $0.send(message, at: now) }
                // The handler below may have run before there was anything to cancel.
                if Task.isCancelled { cancelSend(message.clientID, in: number) }
            }
        } onCancel: {
            Task { await self.cancelSend(message.clientID, in: number) }
        }
    }

    private func cancelSend(_ clientID: String, in number: Int) {
        guard window?.number == number else { return }
        window?.machine.cancelSend(clientID)
        window?.sends.removeValue(forKey: ByteText(clientID))?.resume(throwing: CancellationError())
    }

    /// Reports that the consumer types.
    func typing(_ conversationID: String, in number: Int) {
        let now = clock.uptime
        step(number) { $0.typing(conversationID, at: now) }
    }

    /// Reports that the app showed messages.
    func acknowledge(_ conversationID: String, upTo sequence: Int, in number: Int) {
        let now = clock.uptime
        step(number) { $0.acknowledge(conversationID, upTo: sequence, at: now) }
    }

    // MARK: The machine

    /// Gives the machine of a window an input and executes its actions; nothing for a window that has closed.
    private func step(_ number: Int, _ change: (inout WindowMachine) -> [WindowMachine.Action]) {
        guard window?.number == number, var machine = window?.machine else { return }
        let actions = change(&machine)
        window?.machine = machine
        for action in actions { execute(action, in: number) }
        guard machine.phase == .closed else { return setTimer(number) }
        window?.cancelTasks()
        window = nil
    }

    private func execute(_ action: WindowMachine.Action, in number: Int) {
        switch action {
        case .connect(let connection): window?.connectTask = Task { await connectWindow(connection, in: number) }
        case .send(let frame): window?.connection?.send(frame.text)
        case .ping(let connection): window?.pingTask = Task { await pingWindow(connection, in: number) }
        case .disconnect:
            window?.readTask?.cancel()
            window?.pingTask?.cancel()
            window?.connection?.close()
            window?.connection = nil
        case .renewToken:
            guard canRenewSilently else { return }
            window?.tokenTask?.cancel()
            window?.tokenTask = Task { await renewToken(number) }
        case .rejectToken(let error, let mayRenew):
            guard let token = window?.token else { return }
            // A task that the end of the window does not cancel: the session may end with the token.
            rejectionTask = Task { await rejectToken(token, error, mayRenew: mayRenew, in: number) }
        case .endSession:
            guard let token = window?.token else { return }
            rejectionTask = Task { await sessionEnded(token, in: number) }
        case .emit(let event):
            window?.queue.add(event)
            if event == .stateChanged(.ready), let token = window?.token { accepted(token) }
        case .unread(let count):
            setUnread(count)
            save()
            updateScreen(nil)
        case .read(let conversation, let upTo, let count):
            let mark = PushMessage.ReadMark(conversationID: conversation, upToSequence: upTo)
            user?.ledger.note(mark)
            setUnread(count)
            save()
            updateScreen(mark)
        case .sent(let clientID, let stored):
            window?.sends.removeValue(forKey: ByteText(clientID))?.resume(returning: stored)
        case .failed(let clientID, let error):
            window?.sends.removeValue(forKey: ByteText(clientID))?.resume(throwing: error)
        }
    }

    /// Removes the notifications of what was read, and shows the count, one after the other.
    private func updateScreen(_ mark: PushMessage.ReadMark?) {
        guard presenter != nil else { return }
        let owner = owner
        let earlier = screenTask
        screenTask = Task {
            await earlier?.value
            guard owner == self.owner, let count = unread.count else { return }
            if let mark { await presenter?.withdraw(PushWithdrawal(marks: [mark], unread: count)) }
            if owner == self.owner { await presenter?.setBadge(unread.count ?? count) }
        }
    }

    /// Wakes the machine at its next deadline.
    private func setTimer(_ number: Int) {
        let next = window?.machine.nextDeadline
        guard next != window?.timerAt else { return }
        window?.timer?.cancel()
        window?.timer = nil
        window?.timerAt = next
        guard let deadline = next else { return }
        window?.timer = Task {
            let wait = deadline - clock.uptime
            do {
                if wait > .zero { try await clock.sleep(for: wait) }
            } catch {
                return
            }
            guard !Task.isCancelled, window?.number == number else { return }
            window?.timerAt = nil
            let now = clock.uptime
            let spread = Double.random(in: 0...1)
            step(number) { $0.timePassed(at: now, spread: spread) }
        }
    }

    // MARK: The connection

    private func connectWindow(_ connection: Int, in number: Int) async {
        do {
            let token = try await token()
            guard let user, let windowTransport, isCurrent(connection, in: number) else { return }
            let opened = try await windowTransport.open(routes.window(deviceID: user.deviceID).authorized(by: token))
            guard isCurrent(connection, in: number) else { return opened.close() }
            window?.connection = opened
            window?.token = token
            let now = clock.uptime
            step(number) { $0.connected(connection, at: now) }
            window?.readTask = Task { await readWindow(opened, connection, in: number) }
        } catch {
            let failure = error as? SwitchboardError ?? Self.connectionError(error)
            logger.debug("window not opened", metadata: ["error.code": "\(failure.code)"])
            let now = clock.uptime
            let spread = Double.random(in: 0...1)
            step(number) { $0.connectFailed(failure, connection, at: now, spread: spread) }
        }
    }

    private static func connectionError(_ error: any Error) -> SwitchboardError {
        if error is CancellationError { return SwitchboardError(.cancelled, "the task was cancelled") }
        return SwitchboardError(.connectivity, "no connection: \(type(of: error))")
    }

    private func isCurrent(_ connection: Int, in number: Int) -> Bool {
        window?.number == number && window?.machine.connection == connection
    }

    private func readWindow(_ opened: any WindowConnection, _ connection: Int, in number: Int) async {
        while isCurrent(connection, in: number), let queue = window?.queue {
            await queue.waitForRoom()
            let next = await nextInput(of: opened)
            let now = clock.uptime
            let spread = Double.random(in: 0...1)
            guard let input = next else { return step(number) { $0.lost(connection, at: now, spread: spread) } }
            step(number) { $0.received(input, connection, at: now, spread: spread) }
            if case .closed = input { return }
        }
    }

    /// Returns the next input of a connection; nil if it ended without a close frame.
    private func nextInput(of opened: any WindowConnection) async -> WindowInput? {
        do {
            return try await opened.receive()
        } catch {
            logger.debug("window lost", metadata: ["error": "\(type(of: error))"])
            return nil
        }
    }

    private func pingWindow(_ connection: Int, in number: Int) async {
        guard isCurrent(connection, in: number), let opened = window?.connection else { return }
        do {
            try await opened.ping()
        } catch {
            // The reader has the error too, or the machine waits in vain for the pong.
            return
        }
        let now = clock.uptime
        step(number) { $0.receivedPong(connection, at: now) }
    }

    // MARK: Tokens

    /// Whether a fresh token needs nothing of the consumer, and is the same consumer's for sure.
    private var canRenewSilently: Bool {
        switch authentication.method {
        case .copilot, .signedPayload: true
        case .none, .anonymous, .parameters, .delegate: false
        }
    }

    private func renewToken(_ number: Int) async {
        guard window?.number == number, let token = window?.token else { return }
        if let held = tokens.held, held.token.utf8.elementsEqual(token.utf8) {
            tokens.rejected(token)
            user?.session = nil
        }
        await reauthenticate(number)
    }

    private func reauthenticate(_ number: Int) async {
        guard let token = try? await token(), window?.number == number else { return }
        window?.token = token
        step(number) { $0.renewed(token) }
    }

    private func rejectToken(_ token: String, _ error: SwitchboardError, mayRenew: Bool, in number: Int) async {
        guard window?.number == number else { return }
        guard await rejected(token, error, mayRenew: mayRenew) else { return }
        step(number) { $0.credentialReplaced(isFresh: false) }
    }

    /// Handles the end of the session of a token by the gateway.
    private func sessionEnded(_ token: String, in number: Int) async {
        guard window?.number == number else { return }
        if let held = tokens.held, held.token.utf8.elementsEqual(token.utf8) { return await sessionLost(.remote) }
        // Another login has replaced it.
        step(number) { $0.credentialReplaced(isFresh: false) }
    }
}
