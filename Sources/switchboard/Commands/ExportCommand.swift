import ArgumentParser
import GatewayClient

/// Writes what a gateway has as files.
struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write a brand as the YAML file that apply takes.",
        discussion: "EXAMPLE\n  switchboard export brand acme > brand.yaml",
        subcommands: [Brand.self]
    )

    struct Brand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write a brand with its apps, credentials and hooks, without secrets.",
            discussion: """
                Each secret of an app, webhook or hook is a file that need not exist, with the fingerprint of the present \
                one: put the file there before you change the app. With --json the output is the same file as JSON.

                EXAMPLE
                  switchboard export brand acme > brand.yaml
                """
        )
        @OptionGroup var options: ClientOptions
        @Argument(help: "The brand.") var brand: String

        func run() async throws {
            let client = try options.client()
            let state = try await BrandState.read(brand, client)
            guard state.brand != nil else { throw CommandFailure(.failure, "there is no brand \(brand)") }
            guard !options.json else { return StandardOutput.write(state.exported.text) }
            let text = try YAMLText.text(of: state.exported)
            // A line break at the end is that of the last line.
            StandardOutput.write(
                """
                # For `switchboard apply -f`. The gateway returns no secrets: their files need not exist before a change.
                # A credential's secret, clientSecret or privateKey is not here; add it as {file: PATH} to import it.
                \(text.last == "\n" ? String(text.dropLast()) : text)
                """
            )
        }
    }
}
