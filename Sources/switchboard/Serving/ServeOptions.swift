import ArgumentParser
import Foundation
import Gateway

/// The flags of the commands that use an instance's files directly.
struct ServeOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The YAML file of settings; Config/switchboard.yaml lists them all.", valueName: "file"))
    var config: String?

    @Option(help: ArgumentHelp("The address of the HTTP API; with port 0 the system chooses.", valueName: "host:port"))
    var listen: String?

    @Option(help: ArgumentHelp("The directory of database, admin token and master key.", valueName: "dir"))
    var dataDir: String?

    @Option(help: ArgumentHelp("The file of the admin token.", valueName: "file"))
    var adminTokenFile: String?

    @Option(help: ArgumentHelp("The file of the master key.", valueName: "file"))
    var masterKeyFile: String?

    /// The loader that merges flags, environment and file.
    var loader: SettingsLoader {
        let pairs: [(SettingKey, String?)] = [
            (.serverListen, listen), (.serverDataDir, dataDir), (.serverAdminTokenFile, adminTokenFile),
            (.serverMasterKeyFile, masterKeyFile),
        ]
        var flags: [SettingKey: String] = [:]
        for case (let key, let value?) in pairs { flags[key] = value }
        return SettingsLoader(flags: flags, environment: ProcessInfo.processInfo.environment, file: config)
    }
}
