package claims

var Heartbeats = On("heartbeat", "heartbeats that watch a state", "/heartbeat/supported", FamilyField("heartbeat", "supported"))
