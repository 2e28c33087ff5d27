import ArgumentParser
import Foundation
import ProcessHarness

/// Ends a gateway under load again and again, and counts what was lost.
struct CrashCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "crash",
        abstract: "End a gateway under load again and again, and count what was lost.",
        discussion: """
            Starts 'push-simulator' and 'switchboard serve' from the folder of this program, posts, reads and logs out \
            over several connections, ends the gateway at random moments, and compares what was acknowledged with what \
            reached the devices. Exits with 1 when a promise is broken.
            """
    )

    @Option(help: "How often the gateway is ended, 1 to 10000.")
    var kills = 50
    @Option(help: "Keep-alive connections, 1 to 40.")
    var connections = 3
    @Option(help: "What ends it: kill or term.")
    var signal = CrashSettings.Ending.kill
    @Option(help: "Decides what is posted and when the gateway ends; a random one when left out.")
    var seed: UInt64?
    @Flag(help: "Print JSON in place of the table.")
    var json = false

    func validate() throws {
        guard (1...10_000).contains(kills) else { throw ValidationError("--kills must be 1 to 10000") }
        guard (1...40).contains(connections) else { throw ValidationError("--connections must be 1 to 40") }
    }

    func run() async throws {
        let seed = seed ?? UInt64.random(in: 0...UInt64(UInt32.max))
        let settings = CrashSettings(kills: kills, connections: connections, ending: signal, seed: seed)
        let say: @Sendable (String) -> Void = { FileHandle.standardError.write(Data("\($0)\n".utf8)) }
        say("seed \(seed)")
        let evidence = try await CrashRun(settings: settings, say: say).run()
        let verdict = Verdict(evidence, ending: signal)
        print(json ? verdict.json : verdict.table)
        if !verdict.holds { throw ExitCode(1) }
    }
}

extension CrashSettings.Ending: ExpressibleByArgument {}
