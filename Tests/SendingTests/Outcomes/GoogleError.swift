/// Google's error bodies (ProviderFacts page, B4).
enum GoogleError {
    static func body(_ status: Int, _ rpc: String, _ details: String..., message: String = "x") -> String {
        """
        {"error":{"code":\(status),"message":"\(message)","status":"\(rpc)","details":[\(details.joined(separator: ","))]}}
        """
    }

    static func fcm(_ code: String) -> String {
        #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"\#(code)"}"#
    }

    static func badRequest(_ field: String) -> String {
        #"{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"\#(field)"}]}"#
    }

    static func quota(_ subject: String) -> String {
        #"{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"subject":"\#(subject)"}]}"#
    }

    static let apnsGone =
        #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.ApnsError","statusCode":410,"reason":"Unregistered"}"#

    static let expiredAccess =
        #"{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"ACCESS_TOKEN_EXPIRED","domain":"googleapis.com"}"#
}
