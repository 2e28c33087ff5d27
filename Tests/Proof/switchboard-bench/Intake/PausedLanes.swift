import Delivery
import GatewayModel
import PushProviders

/// Lanes without credentials: nothing is sent, accepted events wait.
struct PausedLanes: LaneDirectory {
    func lane(_ id: LaneID) -> LaneDescription? { nil }

    func makeProvider(_ lane: LaneDescription, source: any PushSource) throws -> (any PushProvider)? {
        throw PushCredentialError(pointer: "/apns", detail: "is missing")
    }
}
