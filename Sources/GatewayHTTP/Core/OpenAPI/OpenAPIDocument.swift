internal import FoundationEssentials

/// The description of the HTTP API (OpenAPI 3.1), served at `/openapi.yaml`.
///
/// `openapi.yaml` of this target is its source. Tests call the server according to it and compare it with all routes,
/// with the sets of names in the code, and with the text in the program.
enum OpenAPIDocument {
    /// The entity tag of this version of the document (RFC 9110 section 8.8.3).
    static let entityTag = EntityTag(of: Data(text.utf8))
}
