import Foundation
public import Logging

/// The part of the library for a Notification Service Extension: content for the push, and a receipt of its arrival.
///
/// The extension runs in a process of its own. It reads the app's record and never writes it, so that it cannot undo
/// what the app stores meanwhile.
public struct NotificationServiceHelper: Sendable {
    private let configuration: ClientConfiguration
    private let storage: any ClientStorage
    private let transport: any HTTPTransport
    private let clock: any ClientClock
    private let logger: Logger

    /// Creates a helper.
    ///
    /// - Parameters:
    ///   - configuration: The settings of the app.
    ///   - storage: The place that the app and the extension share.
    ///   - transport: The way to the gateway.
    ///   - clock: The clocks.
    ///   - logger: The log.
    public init(
        configuration: ClientConfiguration,
        storage: any ClientStorage,
        transport: any HTTPTransport = URLSessionTransport(),
        clock: any ClientClock = SystemClock(),
        logger: Logger = Logger(label: "switchboard.extension")
    ) {
        self.configuration = configuration
        self.storage = storage
        self.transport = transport
        self.clock = clock
        self.logger = logger
    }

    /// Reports the arrival by one request, and returns the content to show.
    ///
    /// - Parameter payload: The members of the push.
    /// - Returns: The content; nil to show the push as it is: it is somebody else's, or has nothing to show.
    public func receive(_ payload: PushPayload) async -> NotificationContent? {
        let parser = PushParser(brandID: configuration.brandID, dialects: configuration.dialects)
        guard let message = parser.parse(payload) else { return nil }
        await report(message)
        return NotificationContent(message)
    }

    private func report(_ message: PushMessage) async {
        guard let id = message.id, message.hasTrackingConsent, message.kind != .selfCheck else { return }
        guard message.dialect == .switchboard || message.dialect == .livePerson else { return }
        // The token must not be sent without encryption.
        guard (try? configuration.check()) != nil else { return }
        guard let data = try? storage.load(), let record = try? JSONDecoder().decode(StoredRecord.self, from: data),
            let user = record.user, let session = user.session
        else { return }
        let routes = GatewayRoutes(configuration)
        let receipt = PushReceipt(messageID: id, state: .delivered, at: clock.now)
        let request = routes.receipts([receipt], deviceID: user.deviceID).authorized(by: session.token)
        do {
            let response = try await transport.send(request)
            if response.status >= 300 { logger.debug("receipt not taken", metadata: ["status": "\(response.status)"]) }
        } catch {
            logger.debug("receipt not sent")
        }
    }
}
