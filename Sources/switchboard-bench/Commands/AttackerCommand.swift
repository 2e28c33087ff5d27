import ArgumentParser
import Foundation
import NIOCore
import NIOPosix

/// The attack of ``AttackScenario``, in a process of its own at the lowest priority.
struct AttackerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attacker",
        abstract: "Attack a gateway on this machine until killed (used by 'run').",
        shouldDisplay: false
    )

    @Option(help: "The gateway's port on the loopback address.")
    var port: Int
    @Option(help: "Bodies, links and new connections a second, of each.")
    var perSecond = 5

    func validate() throws {
        guard (1...1000).contains(perSecond) else { throw ValidationError("--per-second must be 1 to 1000") }
    }

    func run() async throws {
        // What it costs itself is not the gateway's affair: it runs when nobody else does.
        guard setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19) == 0 else {
            throw ValidationError("the priority cannot be lowered")
        }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        await Attacker(port: port, perSecond: perSecond, group: group).run {
            FileHandle.standardOutput.write(Data("attacking\n".utf8))
        }
        try await group.shutdownGracefully()
    }
}
