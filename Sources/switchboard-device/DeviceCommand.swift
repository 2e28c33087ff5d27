import ArgumentParser
import Foundation
import SwitchboardClient
import SwitchboardClientLinux

/// The program: a device in the terminal, for trying a gateway.
@main
struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "switchboard-device",
        abstract: "Be a device in the terminal: log in, register, get pushes, and talk in the messaging window.",
        discussion: """
            The consumer is anonymous without --assertion or --session. With --simulator the device registers a random \
            push token, and prints the pushes that the simulator accepts for it.

            A line is sent as a message. Lines that begin with a slash are commands: \(TerminalCommand.list)

            EXAMPLE
              switchboard-device --brand acme --app ios --assertion jwt.txt --simulator http://127.0.0.1:2199
            """
    )

    @Option(help: "The address of the gateway.") var server = "http://127.0.0.1:8080"
    @Option(help: "The brand.") var brand: String
    @Option(help: "The app.") var app: String
    @Option(help: ArgumentHelp("A file with the consumer's JWT or JWE.", valueName: "file"))
    var assertion: String?
    @Option(help: ArgumentHelp("A file with a session token of a back-end; needs --consumer.", valueName: "file"))
    var session: String?
    @Option(help: "The consumer of --session.") var consumer: String?
    @Option(help: ArgumentHelp("The simulator's control port.", valueName: "url")) var simulator: String?
    @Flag(help: "Register for FCM instead of APNs.") var fcm = false
    @Option(help: ArgumentHelp("The file of the device's record; by default it is in memory.", valueName: "file"))
    var record: String?

    func validate() throws {
        guard assertion == nil || session == nil else {
            throw ValidationError("--assertion and --session exclude each other")
        }
        guard (session == nil) == (consumer == nil) else { throw ValidationError("--session needs --consumer") }
    }

    func run() async throws {
        guard let url = URL(string: server) else { throw ValidationError("--server is not an address") }
        let storage: any ClientStorage
        if let record { storage = FileStorage(url: URL(fileURLWithPath: record)) } else { storage = MemoryStorage() }
        let client = SwitchboardClient(
            configuration: ClientConfiguration(
                serverURL: url,
                brandID: brand,
                appID: app,
                profile: fcm ? .android : .ios
            ),
            storage: storage,
            windowTransport: NIOWindowTransport()
        )
        let terminal = Terminal(client: client)
        let events = await client.events()
        let printing = Task { for await event in events { await terminal.show(event) } }
        let authentication = try await authentication(client)
        try await client.initialize(authentication)
        let isFCM = fcm
        let receiving = simulator.flatMap { URL(string: $0) }.map { control in
            Task { await Self.receivePushes(client, terminal, from: control, isFCM: isFCM) }
        }
        await terminal.run(Self.lines())
        receiving?.cancel()
        printing.cancel()
    }

    private func authentication(_ client: SwitchboardClient) async throws -> Authentication {
        if let assertion {
            return .parameters(AuthenticationParameters(jwt: try SecretFile(path: assertion).read()))
        }
        guard let session, let consumer else { return .anonymous }
        await client.setCopilotTokenProvider(SecretFile(path: session))
        return .copilot(userID: consumer)
    }

    /// Registers the device and handles the pushes for it, until the task is cancelled.
    private static func receivePushes(
        _ client: SwitchboardClient,
        _ terminal: Terminal,
        from control: URL,
        isFCM: Bool
    ) async {
        let bytes = Data((0..<32).map { _ in UInt8.random(in: .min ... .max) })
        let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let feed = SimulatorFeed(control: control, token: digits)
        do {
            // Pushes from before the registration are of other devices.
            var next = try await feed.pushes(after: 0, waitSeconds: 0).next
            try await client.registerPush(isFCM ? .fcm(digits) : .apns(bytes))
            await terminal.say("registered with the push token \(digits.prefix(8))…")
            while !Task.isCancelled {
                let pushes = try await feed.pushes(after: next, waitSeconds: 30)
                next = pushes.next
                for payload in pushes.payloads {
                    if let message = await client.handlePush(payload, showNotification: false) {
                        await terminal.show(message)
                    }
                }
            }
        } catch {
            if !Task.isCancelled { await terminal.say("no pushes any more: \(error)") }
        }
    }

    /// Returns the lines of the terminal; at most 64 wait.
    private static func lines() -> AsyncStream<String> {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(64))
        // A thread of its own, because reading blocks; the process ends it.
        Thread.detachNewThread {
            while let line = readLine() { continuation.yield(line) }
            continuation.finish()
        }
        return lines
    }
}

/// A file with a credential; it is read again each time, so that a fresh one can replace it.
struct SecretFile: CopilotTokenProvider {
    let path: String

    /// Returns the text without the line break at its end.
    func read() throws -> String {
        let text = try String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8)
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    func generateUserAuthKey(for userID: String) async throws -> String { try read() }
}
