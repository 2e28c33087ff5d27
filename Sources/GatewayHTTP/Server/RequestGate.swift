internal import Hummingbird

/// The limits that requests share, and the creation of their calls.
struct RequestGate: Sendable {
    let shared: Call.Shared
    let limiter: RateLimiter
    let addresses: AddressShares
    let slots: RequestSlots
    let budget: BodyBudget

    /// Returns the share of a request's caller; nil for a caller without one.
    func address(of request: Request, _ context: GatewayContext) -> AddressShare? {
        addresses.share(of: limiter.address(of: request, context), peer: context.peer)
    }

    /// Creates the call of a request.
    func call(
        _ request: Request,
        _ body: IncomingBody,
        _ context: GatewayContext,
        slot: RequestSlots.Slot?
    ) -> Call {
        Call(request: request, arriving: body, context: context, shared: shared, limiter: limiter, slot: slot)
    }
}
