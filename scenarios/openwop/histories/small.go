package histories

import (
	"github.com/openassay/assay/scenarios/explore/lockstep"
	"github.com/openassay/assay/scenarios/openwop/model"
)

// Small returns small worlds of all kinds, for tests that walk through the whole of them.
func Small() []lockstep.Small { return []lockstep.Small{smallFile, twoFiles, smallKeys} }

type (
	fileWorld = lockstep.World[model.Files, model.FileAsk, model.FileSaw]
	keyWorld  = lockstep.World[model.Keys, model.KeyAsk, model.KeySaw]
)

var smallFile = &fileWorld{
	Name: "a file", Kind: files, Scenario: filesExplained, Plain: plainFiles,
	Begin: model.Files{Versioned: true, MaxBytes: 64, Keeps: 3}, Claimed: claimedFiles,
	Steps: []model.FileAsk{
		{Do: model.PutFile}, {Do: model.PutFile, If: model.CurrentEtag, Text: model.Text{N: 1}, Type: "text/plain"},
		{Do: model.PutFile, If: model.FormerEtag}, {Do: model.PutFile, If: model.InventedEtag}, {Do: model.PutFile, If: model.AnyEtag},
		{Do: model.PutFile, Text: model.Text{Kind: model.TooLarge}},
		{Do: model.PutFile, If: model.CurrentEtag, Text: model.Text{Kind: model.TooLarge}},
		{Do: model.PutOdd}, {Do: model.PutStray}, {Do: model.DropFile}, {Do: model.GetFile}, {Do: model.ListFiles},
		{Do: model.GetVersion}, {Do: model.GetVersion, Back: 1}, {Do: model.GetVersion, Back: -1},
		{Do: model.GetForeign}, {Do: model.DropForeign},
	},
}

// twoFiles are files side by side, one below what is the beginning of the other's path.
var twoFiles = &fileWorld{
	Name: "two files", Kind: files, Scenario: filesExplained, Plain: plainFiles,
	Begin: model.Files{}, Claimed: claimedFiles,
	Steps: []model.FileAsk{
		{Do: model.PutFile}, {Do: model.PutFile, Path: 2}, {Do: model.PutFile, Path: 2, If: model.OtherEtag}, {Do: model.DropFile},
		{Do: model.DropFile, Path: 2}, {Do: model.GetFile}, {Do: model.GetFile, Path: 2}, {Do: model.ListFiles, Path: 4},
		{Do: model.GetVersion},
	},
}

func claimedFiles(_, drawn model.Files) model.Files { return drawn }

func plainFiles(f model.Files) model.Files {
	for i := range f.Files {
		file := &f.Files[i]
		file.Etag, file.Former = "", [len(file.Former)]string{}
	}
	return f
}

var smallKeys = &keyWorld{
	Name: "keys", Kind: keys, Scenario: keysExplained,
	Steps: []model.KeyAsk{
		{Do: model.AskRun}, {Do: model.AskRun, Body: 1}, {Do: model.AskReordered}, {Do: model.AskRun, Key: 1}, {Do: model.AskRun, Tenant: 1},
		{Do: model.AskReordered, Tenant: 1, Body: 1}, {Do: model.AskStranger}, {Do: model.LookAtRun}, {Do: model.LookAtRun, Tenant: 1},
	},
	Plain: func(k model.Keys) model.Keys {
		for t := range k.Used {
			for i := range k.Used[t] {
				k.Used[t][i].Run, k.Used[t][i].Kept = "", ""
			}
		}
		return k
	},
}
