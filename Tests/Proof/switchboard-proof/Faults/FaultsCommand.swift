import ArgumentParser
import Foundation

/// Sends to providers with faults, and counts what was lost.
struct FaultsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "faults",
        abstract: "Send to providers with all kinds of faults, and count lost and duplicate pushes.",
        discussion: """
            Under each fault the gateway's sender sends pushes to one device each, from a source that keeps a push \
            until it is accepted. Lost must be 0. A push may arrive twice only if its result was in doubt, \
            and never if HTTP/2 proves that it was not processed. Needs Node for the independent peers. Exits with 1 \
            when a promise is broken.
            """
    )

    @Option(help: "The number of pushes under each fault, 100 to 1000000.")
    var pushes = 5000
    @Option(help: "Only this fault; may be repeated: \(Fault.catalogue.map(\.name).joined(separator: ", ")).")
    var fault: [String] = []
    @Flag(help: "Print JSON instead of the table.")
    var json = false

    func validate() throws {
        guard (100...1_000_000).contains(pushes) else { throw ValidationError("--pushes must be 100 to 1000000") }
        for name in fault where !Fault.catalogue.contains(where: { $0.name == name }) {
            throw ValidationError("there is no fault '\(name)'")
        }
    }

    func run() async throws {
        var results: [FaultResult] = []
        for one in Fault.catalogue where fault.isEmpty || fault.contains(one.name) {
            FileHandle.standardError.write(Data("\(one.name) ...\n".utf8))
            results.append(try await FaultRun(pushes: pushes).run(one))
        }
        let table = FaultTable(results: results)
        print(json ? try table.json() : table.text)
        if !table.holds { throw ExitCode(1) }
    }
}
