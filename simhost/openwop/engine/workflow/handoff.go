package workflow

// MapsBack tells whether there is an output mapping for any worker.
func (p *Program) MapsBack() bool {
	return p.Dispatch.OutputMapping != nil || len(p.Dispatch.PerWorkerOutputMappings) > 0
}
