import ArgumentParser
import Foundation
import ProcessHarness

/// Stops a gateway under load again and again, and counts what was lost.
struct CrashCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "crash",
        abstract: "Stop a gateway under load again and again, and count what was lost.",
        discussion: """
            Starts 'push-simulator' and 'switchboard serve' from the folder of this program, posts, reads and logs out \
            over several connections, ends the gateway at random moments, and compares what was acknowledged with what \
            reached the devices. Exits with 1 when a promise is broken.
            """
    )

    @Option(help: "The number of times that the gateway is stopped, 1 to 10000.")
    var kills = 50
    @Option(help: "The number of keep-alive connections, 1 to 40.")
    var connections = 3
    @Option(help: "The signal that stops it: kill or term.")
    var signal = CrashSettings.Ending.kill
    @Option(help: "The seed of the posted events and the times of the stops; random by default.")
    var seed: UInt64?
    @Flag(help: "Print JSON instead of the table.")
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
