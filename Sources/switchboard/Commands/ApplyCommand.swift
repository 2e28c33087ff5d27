import ArgumentParser
import GatewayClient

/// Makes a brand as a file describes it.
struct ApplyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply",
        abstract: "Make a brand, its apps, credentials and hooks as a YAML file describes them.",
        discussion: """
            The file has the bodies of the API's routes as brand, apps and hooks (by id) and credentials (a list); secrets \
            are {file: PATH}, relative to the file and readable only by its owner. A second apply changes nothing. What \
            the file does not have stays and is listed; --prune deletes it, within the sections that the file has. \
            An app or hook is replaced as a whole. A credential cannot be changed: another one is created beside it.

            What somebody else changes at the same time is not overwritten. After an error, apply again. With --plan \
            the exit status is 2 if there are differences, and 1 for any error.

            EXAMPLES
              switchboard apply -f brand.yaml --plan
              switchboard apply -f brand.yaml --secrets-dir ./secrets
              switchboard apply -f brand.yaml --prune --json
            """
    )
    @OptionGroup var options: ClientOptions
    @Option(
        name: [.customShort("f"), .customLong("file")],
        help: ArgumentHelp("The YAML file; - is standard input.", valueName: "file")
    )
    var file: String
    @Flag(help: "Print the differences and change nothing.") var plan = false
    @Flag(help: "Delete apps and hooks, revoke credentials and reset settings that the file does not have.") var prune =
        false
    @Option(help: ArgumentHelp("The directory for secrets that the gateway generates.", valueName: "directory"))
    var secretsDir: String?

    func run() async throws {
        let differences: Int
        do {
            differences = try await apply()
        } catch let failure as CommandFailure where failure.status == .usage {
            // 2 means differences here.
            throw CommandFailure(.failure, failure.message)
        }
        guard plan, differences > 0 else { return }
        throw CommandFailure(.usage, "\(file) differs from the gateway; apply takes \(differences) steps")
    }

    /// Applies the file, or prints its plan; returns the number of steps.
    private func apply() async throws -> Int {
        let wanted = try BrandFile(path: file)
        let client = try options.client()
        let present = try await BrandState.read(wanted.id, client)
        let steps = BrandPlan(wanted: wanted.root, present: present, prunes: prune)
        guard steps.problems.isEmpty else { throw wanted.failure(steps.problems) }
        if !options.json {
            for line in steps.kept.flatMap(\.lines) { StandardOutput.write("not in the file, kept: " + line) }
        }
        var files: [String] = []
        if plan {
            if !options.json { for line in steps.steps.flatMap(\.lines) { StandardOutput.write(line) } }
        } else {
            let applier = BrandApplier(
                file: wanted,
                plan: steps,
                present: present,
                client: client,
                secretsDirectory: secretsDir
            )
            try await applier.run { step, file in
                if let file { files.append(file) }
                guard !options.json else { return }
                for line in step.lines { StandardOutput.write(line) }
                if let file { StandardOutput.write("    its secret is in \(file)") }
            }
        }
        if options.json {
            let result: JSONValue = [
                "brand": .string(wanted.id), "applied": .bool(!plan), "steps": .array(steps.steps.map(\.json)),
                "kept": .array(steps.kept.map(\.json)), "secretFiles": .array(files.map { .string($0) }),
            ]
            StandardOutput.write(result.text)
        } else if steps.steps.isEmpty {
            StandardOutput.write("brand \(wanted.id) is as the file describes it")
        }
        return steps.steps.count
    }
}
