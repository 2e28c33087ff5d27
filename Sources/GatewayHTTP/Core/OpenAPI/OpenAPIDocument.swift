internal import COpenAPI
internal import FoundationEssentials

/// The description of the HTTP API (OpenAPI 3.1), served at `/openapi.yaml`.
///
/// It is `openapi.yaml` of this target, which `COpenAPI` embeds. Tests call the server according to it and compare it with
/// all routes and with the sets of names in the code.
enum OpenAPIDocument {
    /// The whole document as YAML.
    static let text = String(cString: switchboard_openapi())
    /// The entity tag of this version of the document (RFC 9110 section 8.8.3).
    static let entityTag = EntityTag(of: Data(text.utf8))
}
