package agenticloop

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/openassay/assay/simhost/agenticloop/gateway/example"
	"github.com/openassay/assay/tools/internal/cli"
)

const gatewayLong = `A gateway for plugins as RFC-103 has it under its agent: a queue of jobs, one at a
time, in which an agent asks for tools by events and is resumed by what they
emit. See it at work:

  assay gateway example ./loop
  assay gateway run --pipelines loop/pipelines.yaml --plugin loop/plugins \
    --start '{"goal": "fetch http://mattjoyce.ai and write a critique"}'`

// NewGateway returns the command gateway: plugins of the protocol, run together.
func NewGateway() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "gateway",
		Short: "Run plugins of the agentic loop (RFC-103) together",
		Long:  gatewayLong,
		Args:  cobra.ArbitraryArgs,
		RunE:  cli.Group("command"),
	}
	cmd.AddCommand(newGatewayRun(), newGatewayExample(), newGatewayTool())
	return cmd
}

func newGatewayExample() *cobra.Command {
	return &cobra.Command{
		Use:   "example DIR",
		Short: "Write the text's worked example into a folder: pipelines, an agent, two tools",
		Long: "Writes DIR/" + example.PipelinesFile + " and DIR/" + example.PluginsFolder +
			": the reference agent, and its two tools. They are started by\n" +
			"this very program. Files of these names are replaced.",
		Example: "  assay gateway example ./loop",
		Args:    cli.Args("DIR"),
		RunE: func(cmd *cobra.Command, dirs []string) error {
			self, err := os.Executable()
			if err != nil {
				return fmt.Errorf("gateway example: find this program: %w", err)
			}
			noteReach(cmd.ErrOrStderr(), self)
			if err := example.Export(dirs[0], self, []string{"agent"}, []string{"gateway", "tool"}); err != nil {
				return fmt.Errorf("gateway example: %w: name a folder that can be written", err)
			}
			pipelines, plugins := filepath.Join(dirs[0], example.PipelinesFile), filepath.Join(dirs[0], example.PluginsFolder)
			_, err = fmt.Fprintf(cmd.OutOrStdout(),
				"The example is in %s. Try:\n\n  assay gateway run --pipelines %s --plugin %s \\\n    --start '{\"goal\": \"fetch "+
					"http://mattjoyce.ai and write a critique\"}'\n", dirs[0], pipelines, plugins)
			return err
		},
	}
}

func newGatewayTool() *cobra.Command {
	return &cobra.Command{
		Use:   "tool NAME",
		Short: "Run a turn of one of the example's tools, as a plugin",
		Long: "Reads one request from the standard input and writes one answer to the standard output, as a\n" +
			"plugin does. Its config may say: fail, the error that it ends with, and retry, whether that may\n" +
			"be tried again; emit: agentic.tool_result, a result in place of the tool's own event.",
		Example: "  assay gateway tool jina-reader < request.json",
		Args:    cli.Args("NAME"),
		RunE: func(cmd *cobra.Command, names []string) error {
			turn, known := example.Turn(names[0])
			if !known {
				return cli.Unknown("tool", names[0], example.Tools())
			}
			request, err := io.ReadAll(cmd.InOrStdin())
			if err != nil {
				return fmt.Errorf("gateway tool: read the request: %w", err)
			}
			answer, code := turn(cmd.Context(), request)
			if _, err := cmd.OutOrStdout().Write(answer); err != nil {
				return fmt.Errorf("gateway tool: write the answer: %w", err)
			}
			if code != 0 {
				return &cli.Exit{Code: code}
			}
			return nil
		},
	}
}
