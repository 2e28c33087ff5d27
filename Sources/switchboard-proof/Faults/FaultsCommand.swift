import ArgumentParser
import Foundation

/// Sends to providers that go wrong, and counts what was lost.
struct FaultsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "faults",
        abstract: "Send to providers that go wrong in every way, and count what was lost and what came twice.",
        discussion: """
            Each fault gets pushes to devices of their own over the gateway's sender, from a source that keeps a push \
            until it was taken. Lost must be 0. A push may come twice only where an answer left open whether it was \
            taken, and never where HTTP/2 proves that it was not. Needs Node for the independent peers. Exits with 1 \
            when a promise is broken.
            """
    )

    @Option(help: "How many pushes each fault gets, 100 to 1000000.")
    var pushes = 5000
    @Option(help: "Only this fault; may be repeated: \(Fault.catalogue.map(\.name).joined(separator: ", ")).")
    var fault: [String] = []
    @Flag(help: "Print JSON in place of the table.")
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
