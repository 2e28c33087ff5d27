internal import GatewayModel
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import TextFormats

/// The routes of a link host: the files that name its apps (R123-R125), and redirects of browsers (R189).
///
/// A proxy that terminates TLS in front of the gateway must pass on the `Host` of the request.
enum LinkRoutes {
    static func add(to routes: inout RouteTable) {
        // Neither is redirected, and both are JSON whatever their names: Apple's and Google's crawlers accept nothing
        // else.
        routes.on(.get, "/.well-known/apple-app-site-association") { try apple($0) }
        routes.on(.get, "/.well-known/assetlinks.json") { try android($0) }
    }

    private static func apps(_ call: Call) throws(Problem) -> [DirectoryApp] {
        let apps = LinkHost(call.request, call.services.directory).apps
        guard !apps.isEmpty else { throw .notFound("resource") }
        return apps
    }

    /// The `applinks` of the host's apps, and `webcredentials` of those that share passwords (developer.apple.com,
    /// "Supporting associated domains").
    private static func apple(_ call: Call) throws(Problem) -> Response {
        let links = try apps(call).compactMap(\.settings.links).filter { $0.ios != nil }
        var writer = JSONWriter(capacity: 512)
        writer.literal(#"{"applinks":{"details":["#)
        for link in links {
            writer.separate()
            writer.literal("{")
            writer.array("appIDs", link.ios?.appIds ?? []) { $0.string($1) }
            writer.array("components", link.paths) { writer, path in
                writer.literal(#"{"/":"#)
                writer.string(path)
                writer.literal("}")
            }
            writer.literal("}")
        }
        writer.literal("]}")
        let passwords = links.filter { $0.passwords == true }
        if !passwords.isEmpty {
            writer.literal(#","webcredentials":{"#)
            writer.array("apps", passwords.flatMap { $0.ios?.appIds ?? [] }) { $0.string($1) }
            writer.literal("}")
        }
        writer.literal("}")
        return file(writer)
    }

    /// The statements of Android apps (developers.google.com, "Digital Asset Links").
    private static func android(_ call: Call) throws(Problem) -> Response {
        let links = try apps(call).compactMap(\.settings.links).filter { $0.android != nil }
        var writer = JSONWriter(capacity: 512)
        writer.literal("[")
        for link in links {
            writer.separate()
            writer.literal(#"{"relation":["delegate_permission/common.handle_all_urls""#)
            if link.passwords == true { writer.literal(#","delegate_permission/common.get_login_creds""#) }
            writer.literal(#"],"target":{"namespace":"android_app","package_name":"#)
            writer.string(link.android?.packageName ?? "")
            writer.array("sha256_cert_fingerprints", link.android?.sha256CertFingerprints ?? []) { $0.string($1) }
            writer.literal("}}")
        }
        writer.literal("]")
        return file(writer)
    }

    /// A response that everybody may read and cache, with revalidation.
    private static func file(_ writer: JSONWriter) -> Response {
        var response = ResponseFactory.json(.ok, writer)
        response.headers[.cacheControl] = "no-cache"
        return response
    }
}
