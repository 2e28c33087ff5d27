extension SwitchboardClient {
    /// The most events that wait for a slow reader; the oldest give way to new ones.
    static let maxWaitingEvents = 64
    /// The most readers at once.
    static let maxObservers = 32

    /// Returns the events from now on, until the consumer logs out.
    ///
    /// Subscribe before ``initialize(_:)``, so that none is missed. A reader that is slow loses the oldest events: at
    /// most 64 wait. With more than 32 readers the stream is empty.
    ///
    /// - Returns: The stream.
    public func events() -> AsyncStream<ClientEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ClientEvent.self,
            bufferingPolicy: .bufferingNewest(Self.maxWaitingEvents)
        )
        guard observers.count < Self.maxObservers else {
            continuation.finish()
            return stream
        }
        let number = nextNumber()
        observers[number] = continuation
        continuation.onTermination = { [weak self] _ in
            // The stream has ended; nothing waits for this.
            Task { await self?.removeObserver(number) }
        }
        return stream
    }

    /// Sets the delegate that receives the events until the consumer logs out; it is not retained.
    public func setDelegate(_ delegate: (any SwitchboardClientDelegate)?) {
        delegatePump?.cancel()
        delegatePump = nil
        guard let delegate else { return }
        let events = events()
        let brandID = configuration.brandID
        delegatePump = Task { [weak delegate] in
            for await event in events {
                guard let delegate else { return }
                delegate.receive(event, brandID: brandID)
            }
        }
    }

    private func removeObserver(_ number: Int) { observers[number] = nil }

    /// Reports an event to every reader.
    func emit(_ event: ClientEvent) {
        for observer in observers.values { observer.yield(event) }
    }

    /// Ends every stream after the events that wait in it.
    func removeObservers() {
        for observer in observers.values { observer.finish() }
        observers = [:]
        delegatePump = nil
    }

    /// Executes the effects of the session that need no waiting.
    func execute(_ actions: [SessionMachine.Action]) {
        for action in actions {
            switch action {
            case .emit(let event): emit(event)
            case .removeObservers: removeObservers()
            case .open, .reset, .end, .initialized, .ignored, .fail: break
            }
        }
    }
}
