/// The events of a client by methods, for apps that do not read the event stream; each has a default that does nothing.
///
/// The methods are called on no particular thread. The delegate is removed when the consumer logs out.
public protocol SwitchboardClientDelegate: AnyObject, Sendable {
    /// The gateway has accepted the consumer, or does so no longer.
    func connectionStateChanged(isReady: Bool)
    /// The credential has expired.
    func tokenExpired(brandID: String)
    /// The credential was rejected for good.
    func authenticationFailed(_ error: SwitchboardError)
    /// An error that no call reports.
    func errorOccurred(_ type: ClientEvent.ErrorType, _ error: SwitchboardError)
    /// The push registration is stored by the gateway.
    func pushRegistrationDidFinish()
    /// The push registration failed after all repetitions.
    func pushRegistrationDidFail(_ error: SwitchboardError)
    /// The consumer tapped the library's own banner.
    func notificationTapped(_ message: PushMessage)
    /// The unread count has changed.
    func unreadChanged(_ count: Int)
    /// Another consumer uses the session: what the app shows of the one before must go.
    func consumerChanged()
    /// The session has ended without a call of the app.
    func sessionEnded(_ cause: LogoutCause)
}

extension SwitchboardClientDelegate {
    /// Does nothing.
    public func connectionStateChanged(isReady: Bool) {}
    /// Does nothing.
    public func tokenExpired(brandID: String) {}
    /// Does nothing.
    public func authenticationFailed(_ error: SwitchboardError) {}
    /// Does nothing.
    public func errorOccurred(_ type: ClientEvent.ErrorType, _ error: SwitchboardError) {}
    /// Does nothing.
    public func pushRegistrationDidFinish() {}
    /// Does nothing.
    public func pushRegistrationDidFail(_ error: SwitchboardError) {}
    /// Does nothing.
    public func notificationTapped(_ message: PushMessage) {}
    /// Does nothing.
    public func unreadChanged(_ count: Int) {}
    /// Does nothing.
    public func consumerChanged() {}
    /// Does nothing.
    public func sessionEnded(_ cause: LogoutCause) {}

    /// Calls the method of an event.
    func receive(_ event: ClientEvent, brandID: String) {
        switch event {
        case .connectionChanged(let isReady): connectionStateChanged(isReady: isReady)
        case .tokenExpired: tokenExpired(brandID: brandID)
        case .authenticationFailed(let error): authenticationFailed(error)
        case .error(let type, let error): errorOccurred(type, error)
        case .registrationFinished: pushRegistrationDidFinish()
        case .registrationFailed(let error): pushRegistrationDidFail(error)
        case .notificationTapped(let message): notificationTapped(message)
        case .unreadChanged(let count): unreadChanged(count)
        case .consumerChanged: consumerChanged()
        case .sessionEnded(let cause): sessionEnded(cause)
        }
    }
}
