package sent

// call is one call of a client.
type call struct {
	operation, status, client, at string
	resources                     []string
}

// following holds the last call of each client on each resource.
type following map[[2]string]call

// add adds what a call follows. Calls follow one another by the times at which they begin, so one may follow a stream that is open still.
func (f following) add(s *Sum, c call) {
	said := map[Item]bool{}
	for _, resource := range c.resources {
		on := [2]string{c.client, resource}
		if before, ok := f[on]; ok {
			said[Item{before.operation, Then, before.status + ", then " + c.operation}] = true
		}
		f[on] = call{operation: c.operation, status: c.status}
	}
	for i := range said {
		s.add(i, c.at)
	}
}
