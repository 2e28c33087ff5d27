/// The app's screen, as far as pushes need it.
public protocol PushPresenter: Sendable {
    /// Shows a notification with the agent's nickname and the text.
    func show(_ message: PushMessage) async
    /// Removes notifications of messages that were read.
    func withdraw(_ withdrawal: PushWithdrawal) async
    /// Sets the number on the app's icon.
    func setBadge(_ count: Int) async
}
