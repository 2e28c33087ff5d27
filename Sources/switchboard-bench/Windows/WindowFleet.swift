import NIOCore
import NIOPosix
import ProcessHarness

/// Many windows of one gateway on one event loop, to which it is confined.
final class WindowFleet {
    /// How opening went.
    struct Opening: Sendable {
        /// Windows that said `ready`.
        var opened = 0
        /// Those that did not.
        var failed = 0
        /// From the first connection to the last `ready`.
        var seconds = 0.0
    }

    private let loop: any EventLoop
    private let port: Int
    private(set) var windows: [WindowConnection?] = []
    /// How many pings came to all windows.
    private(set) var pings = 0
    /// How many of those that were open have ended.
    private(set) var ended = 0

    private var tokens: [String] = []
    private var next = 0
    private var opening = Opening()
    private var startedAt = NIODeadline.now()
    private var promise: EventLoopPromise<Opening>?

    init(loop: any EventLoop, port: Int) {
        self.loop = loop
        self.port = port
    }

    /// Opens one window for each token, so many at once.
    func open(_ tokens: [String], atOnce: Int, promise: EventLoopPromise<Opening>) {
        self.tokens = tokens
        self.promise = promise
        next = 0
        opening = Opening()
        startedAt = .now()
        for _ in 0..<min(atOnce, tokens.count) { openNext() }
    }

    /// Lets go of all of them.
    func cutAll() { for window in windows { window?.cut() } }

    private func openNext() {
        guard next < tokens.count else { return }
        let window = WindowConnection(path: "/v1/brands/\(Installation.brand)/window", token: tokens[next])
        next += 1
        let index = windows.count
        windows.append(window)
        var isReady = false
        window.onText = { [unowned self, unowned window] text in
            guard !isReady, text.starts(with: #"{"type":"ready""#) else { return }
            isReady = true
            window.onText = { _ in }
            opening.opened += 1
            attempted()
        }
        window.onPing = { [unowned self] in pings += 1 }
        window.onEnd = { [unowned self] in
            windows[index] = nil
            ended += 1
            if !isReady { failed() }
        }
        let connection = NIOLoopBound(window, eventLoop: loop)
        ClientBootstrap(group: loop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(connection.value)
                }
            }
            .connect(host: "127.0.0.1", port: port).assumeIsolated().whenFailure { [unowned self] _ in
                windows[index] = nil
                failed()
            }
    }

    private func failed() {
        opening.failed += 1
        attempted()
    }

    private func attempted() {
        if opening.opened + opening.failed == tokens.count {
            opening.seconds = Double((NIODeadline.now() - startedAt).nanoseconds) / 1e9
            promise?.succeed(opening)
            promise = nil
        } else {
            openNext()
        }
    }
}

extension ByteBuffer {
    /// Whether it begins with a text.
    func starts(with text: StaticString) -> Bool {
        text.withUTF8Buffer { readableBytesView.starts(with: $0) }
    }

    /// The number behind a JSON member's name, wherever it first stands.
    func number(of member: String) -> Int? {
        guard let name = readableBytesView.firstRange(of: Array("\"\(member)\":".utf8)) else { return nil }
        let digits = readableBytesView[name.upperBound...].prefix { (0x30...0x39).contains($0) }
        return Int(String(decoding: digits, as: UTF8.self))
    }
}
