import ArgumentParser

/// Runs the gateway.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the gateway.",
        discussion: """
            Without any setting it keeps everything in ./data and listens on 127.0.0.1:8080. When it is ready it prints \
            one line on standard output: listening on http://HOST:PORT. SIGTERM and SIGINT stop it in order; a second \
            one stops it at once. Every setting is also an environment variable SWITCHBOARD_<SECTION>_<KEY>; flags win \
            over the environment, the environment over the file.
            """
    )
    @OptionGroup var options: ServeOptions

    func run() async throws {
        _ = try await options.loader.load()
    }
}
