import ArgumentParser
import Foundation
import NIOCore
import NIOPosix

/// The attack of ``AttackScenario``, in a separate process with the lowest priority.
struct AttackerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attacker",
        abstract: "Attack a gateway on this host until killed (used by 'run').",
        shouldDisplay: false
    )

    @Option(help: "The gateway's port on the loopback address.")
    var port: Int
    @Option(help: "Bodies, links and new connections per second, each.")
    var perSecond = 5

    func validate() throws {
        guard (1...1000).contains(perSecond) else { throw ValidationError("--per-second must be 1 to 1000") }
    }

    func run() async throws {
        // Its own CPU must not slow the gateway: it runs only when no other process does.
        guard setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19) == 0 else {
            throw ValidationError("lowering the priority failed")
        }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        await Attacker(port: port, perSecond: perSecond, group: group).run {
            FileHandle.standardOutput.write(Data("attacking\n".utf8))
        }
        try await group.shutdownGracefully()
    }
}
