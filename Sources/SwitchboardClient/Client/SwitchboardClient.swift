public import Logging

/// A device of a consumer: it logs in, registers for pushes, handles them, keeps the unread count, and opens the messaging
/// window.
///
/// The order of a login is ``initialize(_:)``, ``registerPush(_:receives:authentication:)``,
/// ``unreadCount(authentication:)``; the last two can be left out. Every call has one outcome, repetitions included.
/// Pushes can be handled before ``initialize(_:)``.
public actor SwitchboardClient {
    let configuration: ClientConfiguration
    let transport: any HTTPTransport
    /// The way to the messaging window; nil where the platform has none.
    let windowTransport: (any WindowTransport)?
    let storage: any ClientStorage
    let clock: any ClientClock
    let logger: Logger
    let routes: GatewayRoutes
    /// The reader of pushes; it needs no session.
    nonisolated let parser: PushParser

    var session = SessionMachine()
    var tokens = TokenMachine(policy: .assertion)
    var unread = UnreadState()
    var taps = TapState()
    var engagement = EngagementState()
    var inbox = InboxState()
    /// The pushes that were handled while nobody was logged in.
    var looseLedger = PushLedger()
    /// The stored record; nil until it is loaded.
    var record: StoredRecord?

    /// The authentication method of the session.
    var authentication = Authentication.none
    /// Whether the code of ``authentication`` was sent: it may be used up.
    var isCodeSpent = false
    var copilotProvider: (any CopilotTokenProvider)?
    var payloadSigner: (any PayloadSigner)?
    weak var authorizationDelegate: (any AuthorizationDelegate)?
    var inboxAuthorization: InboxAuthorization?

    var presenter: (any PushPresenter)?
    var bannerHandler: (@Sendable (PushMessage) async -> Void)?
    var observers: [Int: AsyncStream<ClientEvent>.Continuation] = [:]
    var delegatePump: Task<Void, Never>?

    let lifecycle = TurnQueue()
    let registering = TurnQueue()
    var waiters: [Int: CheckedContinuation<String, any Error>] = [:]
    var lastNumber = 0
    var askTask: Task<Void, Never>?
    var authorizationTimer: Task<Void, Never>?
    var registrationTask: Task<Void, Never>?
    var reportTask: Task<Void, Never>?
    var eventTask: Task<SwitchboardError?, Never>?
    /// The signal that a running self-check waits for.
    var selfCheckSignal: AsyncStream<Void>.Continuation?

    /// The open messaging window; nil if there is none.
    var window: OpenWindow?
    /// The handling of a token that the gateway rejected in the window.
    var rejectionTask: Task<Void, Never>?
    /// The last change of the screen by the window.
    var screenTask: Task<Void, Never>?

    /// Creates a client; nothing is read or sent before the first call.
    ///
    /// - Parameters:
    ///   - configuration: The settings.
    ///   - storage: The place of the record on the device.
    ///   - transport: The way to the gateway.
    ///   - windowTransport: The way to the messaging window; nil takes the one of Apple's platforms, and none elsewhere.
    ///   - clock: The clocks.
    ///   - logger: The log; nothing secret is written to it.
    public init(
        configuration: ClientConfiguration,
        storage: any ClientStorage,
        transport: any HTTPTransport = URLSessionTransport(),
        windowTransport: (any WindowTransport)? = nil,
        clock: any ClientClock = SystemClock(),
        logger: Logger = Logger(label: "switchboard.client")
    ) {
        self.configuration = configuration
        self.storage = storage
        self.transport = transport
        #if canImport(Darwin)
        self.windowTransport = windowTransport ?? URLSessionWindowTransport()
        #else
        self.windowTransport = windowTransport
        #endif
        self.clock = clock
        self.logger = logger
        routes = GatewayRoutes(configuration)
        parser = PushParser(brandID: configuration.brandID, dialects: configuration.dialects)
    }

    /// The consumer on this device; nil before a login and after a logout.
    var user: StoredUser? {
        get { record?.user }
        set { record?.user = newValue }
    }

    /// The consumer whom the screen belongs to; another value after a wipe or with another consumer.
    struct Owner: Equatable {
        var deviceID: String?
        var epoch: Int
    }

    /// The consumer whom the screen belongs to now.
    var owner: Owner { Owner(deviceID: user?.deviceID, epoch: session.epoch) }

    /// Returns the next number, for calls that wait and for observers.
    func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Runs a body and converts its error.
    func typed<Value>(_ body: () async throws -> Value) async throws(SwitchboardError) -> Value {
        do {
            return try await body()
        } catch {
            throw SwitchboardError(wrapping: error)
        }
    }

    // MARK: Providers

    /// Sets the source of keys, also before any session; a replaced one only affects the next request for a key.
    public func setCopilotTokenProvider(_ provider: (any CopilotTokenProvider)?) { copilotProvider = provider }

    /// Sets the way to the brand's signing service.
    public func setPayloadSigner(_ signer: (any PayloadSigner)?) { payloadSigner = signer }

    /// Sets the delegate that authorizes interactions; it is not retained.
    public func setAuthorizationDelegate(_ delegate: (any AuthorizationDelegate)?) { authorizationDelegate = delegate }

    /// Sets the app's screen for pushes.
    public func setPresenter(_ presenter: (any PushPresenter)?) { self.presenter = presenter }

    /// Sets a handler that shows banners of the app's own, instead of ``PushPresenter/show(_:)``.
    public func setBannerHandler(_ handler: (@Sendable (PushMessage) async -> Void)?) { bannerHandler = handler }
}
