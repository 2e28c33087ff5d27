import ArgumentParser
import Foundation
import GatewayClient

/// Takes over the devices of another service.
struct DeviceImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Take over the devices of another service from its export.",
        discussion: """
            An import moves, replaces and ends nothing: devices that are registered are kept, so it may be stopped and \
            run again. Errors are printed with their line; the others are imported. The exit status is 1 when a device \
            was rejected.

            FORMATS
              onesignal  the CSV export, uncompressed, with the extra fields external_user_id and timezone_id
              parse      documents of _Installation: one a line, an array, or {"results": [...]}
              azure      exported registrations of Notification Hubs: one XML text a line
              sns        aws sns list-endpoints-by-platform-application, or one endpoint a line
              ndjson     lines of POST /v1/brands/{brand}/devices/import

            EXAMPLES
              switchboard device import acme users.csv --from onesignal --ios ios --android android --dry-run
              switchboard device import acme users.csv --from onesignal --ios ios --android android
              switchboard device import acme endpoints.json --from sns --ios ios --unidentified sns-
            """
    )
    @OptionGroup var options: ClientOptions
    @Argument(help: "The brand.") var brand: String
    @Argument(help: "The export's file; - is standard input.") var file: String
    @Option(help: "The format: onesignal, parse, azure, sns or ndjson.") var from: ExportFormat
    @Option(help: ArgumentHelp("The app of the devices with tokens of APNs.", valueName: "app")) var ios: String?
    @Option(help: ArgumentHelp("The app of the devices with tokens of FCM.", valueName: "app")) var android: String?
    @Option(help: "For tokens of APNs: production or sandbox.") var environment: String?
    @Option(help: ArgumentHelp("For azure: what the tag with the user's id begins with.", valueName: "prefix"))
    var consumerTag = "$UserId:"
    @Option(
        help: ArgumentHelp(
            "Also import devices without a user, each for a consumer of its own: the prefix and the device's id.",
            valueName: "prefix"
        )
    )
    var unidentified: String?
    @Flag(help: "Read the whole export, and send nothing.") var dryRun = false

    func validate() throws {
        guard from == .ndjson || ios != nil || android != nil else {
            throw ValidationError("Give --ios, --android or both.")
        }
    }

    func run() async throws {
        let attributes = file == "-" ? nil : try? FileManager.default.attributesOfItem(atPath: file)
        let terms = ExportTerms(
            ios: ios,
            android: android,
            environment: environment,
            consumerTag: consumerTag,
            unidentified: unidentified
        )
        var importer = DeviceImporter(
            client: dryRun ? nil : try options.client(),
            brand: brand,
            printsJSON: options.json,
            size: (attributes?[.size] as? NSNumber)?.intValue ?? 0
        )
        try await DeviceFile(path: file, format: from, terms: terms).read { number, bytes, device in
            try await importer.take(number, bytes: bytes, device)
        }
        try await importer.finish()
    }
}
