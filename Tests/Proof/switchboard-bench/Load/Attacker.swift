import NIOCore
import NIOPosix

/// Clients of one address that send the requests with the highest cost for the gateway, at a bounded rate, without a
/// credential.
///
/// The gateway treats a loopback peer as a proxy, whose connections it does not limit: the attack opens as many as one
/// address may hold. Requests count for the address in `X-Forwarded-For`.
struct Attacker: Sendable {
    /// The host of links whose patterns have many wildcards.
    static let host = "links.bench.example"
    /// Patterns that match nothing but cause backtracking at every byte.
    static let patterns = [
        "/" + String(repeating: "*a", count: 100) + "b", "/" + String(repeating: "*aa", count: 80) + "*b",
    ]
    /// The number of silent connections: the limit of one address.
    static let silentConnections = 256
    /// The number of requests with unfinished bodies: the limit of one address.
    static let unfinishedBodies = 128

    /// The port of the gateway on the loopback address.
    var port: Int
    /// The rate per second of bodies full of combining marks, of links, and of connections that replace closed ones,
    /// each.
    var perSecond: Int
    /// The event loops of the connections.
    var group: any EventLoopGroup

    private static let from = "X-Forwarded-For: 203.0.113.66\r\n"
    private static let login =
        "POST /v1/brands/bench/sessions HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n\(from)"

    /// A body of nearly 1 MiB whose only text is combining marks in an order that normalization must change.
    private static let marks: String = {
        let marks = String(repeating: "\u{301}\u{316}", count: 262_000)
        return #"{"grant":"a"# + marks + #""}"#
    }()

    /// Attacks until the task is cancelled.
    ///
    /// - Parameter onStart: Called when all connections are open.
    func run(onStart: @escaping @Sendable () -> Void) async {
        let link =
            "GET /\(String(repeating: "a", count: 2000)) HTTP/1.1\r\nHost: \(Self.host)\r\n\(Self.from)Connection: close\r\n\r\n"
        let body =
            Self.login + "Connection: close\r\nContent-Length: \(Self.marks.utf8.count)\r\n\r\n" + Self.marks
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { await hold(Self.silentConnections, saying: "", onStart: onStart) }
            tasks.addTask { await hold(Self.unfinishedBodies, saying: Self.login + "Content-Length: 400\r\n\r\n{") {} }
            tasks.addTask { await ask(ByteBuffer(string: body)) }
            tasks.addTask { await ask(ByteBuffer(string: link)) }
        }
    }

    /// Keeps connections open, and replaces those that close.
    private func hold(_ count: Int, saying text: String, onStart: () -> Void) async {
        var open: [any Channel] = []
        var hasStarted = false
        while !Task.isCancelled {
            open.removeAll { !$0.isActive }
            let missing = count - open.count
            for _ in 0..<(hasStarted ? min(missing, perSecond) : missing) {
                if let channel = try? await connect() {
                    if !text.isEmpty { channel.writeAndFlush(ByteBuffer(string: text), promise: nil) }
                    open.append(channel)
                }
            }
            if !hasStarted { onStart() }
            hasStarted = true
            try? await Task.sleep(for: .seconds(1))
        }
    }

    /// Sends each request on its own connection, at most two seconds' worth at once.
    private func ask(_ request: ByteBuffer) async {
        await withTaskGroup(of: Void.self) { tasks in
            var running = 0
            while !Task.isCancelled {
                if running == 2 * perSecond {
                    await tasks.next()
                    running -= 1
                }
                tasks.addTask {
                    guard let channel = try? await connect() else { return }
                    channel.writeAndFlush(request, promise: nil)
                    try? await channel.closeFuture.get()
                }
                running += 1
                try? await Task.sleep(for: .nanoseconds(1_000_000_000 / perSecond))
            }
        }
    }

    private func connect() async throws -> any Channel {
        try await ClientBootstrap(group: group).connect(host: "127.0.0.1", port: port).get()
    }
}
