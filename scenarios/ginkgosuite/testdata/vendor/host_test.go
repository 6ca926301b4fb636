// Package host_test is the Ginkgo tree of somebody who makes a host.
package host_test

import (
	"os"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/ginkgosuite"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/wire"
)

var target = wire.Target{URL: os.Getenv("HOST_URL"), Key: os.Getenv("HOST_KEY")}

func TestHost(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "my host")
}

// The suites of Assay stand beside the host's own specs.
var _ = Describe("conformance", Label("conformance"), func() {
	ginkgosuite.Describe(target, scenarios.Options{}, openwop.Suites()...)
})

// A spec of the host's own, with matchers of Assay's and of Gomega's.
var _ = Describe("discovery", Label("own"), func() {
	It("claims version 5 of the execution model", func(ctx SpecContext) {
		network, err := wire.NewNetwork(target, wire.Options{Limits: wire.DefaultLimits()})
		Expect(err).NotTo(HaveOccurred())
		client := network.Client("discovery")
		defer client.Close()
		reply, err := client.Do(ctx, wire.Call{Method: "GET", Path: "/.well-known/openwop"})
		Expect(err).NotTo(HaveOccurred())

		Expect(reply.StatusValue()).To(check.Status(200))
		model := reply.Value("/multiAgent/executionModel")
		Expect(model.Key("version")).To(check.Integer(5, 0))
		Expect(model.Key("deprecated")).To(check.Absent())
		Expect(check.Decoded(model)).To(HaveKeyWithValue("version", BeNumerically(">=", 5)))
	})
})
