import NIOCore
import NIOPosix
import ProcessHarness

/// Many windows of one gateway on one event loop, to which it is confined.
final class WindowFleet {
    /// The result of opening windows.
    struct Opening: Sendable {
        /// The number of windows with a `ready` message.
        var opened = 0
        /// The number of other windows.
        var failed = 0
        /// The time from the first connection to the last `ready`.
        var seconds = 0.0
    }

    private let loop: any EventLoop
    private let port: Int
    private(set) var windows: [WindowConnection?] = []
    /// The number of pings to all windows.
    private(set) var pings = 0
    /// The number of open windows that have ended.
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

    /// Opens one window for each token, at most `atOnce` at a time.
    func open(_ tokens: [String], atOnce: Int, promise: EventLoopPromise<Opening>) {
        self.tokens = tokens
        self.promise = promise
        next = 0
        opening = Opening()
        startedAt = .now()
        for _ in 0..<min(atOnce, tokens.count) { openNext() }
    }

    /// Closes all windows without a close frame.
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
    /// Returns whether it begins with a text.
    func starts(with text: StaticString) -> Bool {
        text.withUTF8Buffer { readableBytesView.starts(with: $0) }
    }

    /// Returns the number after the first occurrence of a JSON member's name.
    func number(of member: String) -> Int? {
        guard let name = readableBytesView.firstRange(of: Array("\"\(member)\":".utf8)) else { return nil }
        let digits = readableBytesView[name.upperBound...].prefix { (0x30...0x39).contains($0) }
        return Int(String(decoding: digits, as: UTF8.self))
    }
}
