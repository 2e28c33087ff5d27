/// The log keys of this room.
enum LogKey {
    static let requestID = "request.id"
    static let method = "http.method"
    static let route = "http.route"
    static let status = "http.status"
    static let duration = "duration.us"
    static let brand = "brand"
    static let code = "error.code"
    static let errorType = "error.type"
    static let trace = "trace.id"
}
