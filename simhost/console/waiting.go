package console

import "html/template"

// waitingShown is how much of what waits one page shows of each host.
const waitingShown = 60

type waitingPage struct {
	Questions []askedRow
	More      int           // that are not shown
	Hint      template.HTML // where nothing waits
}

type askedRow struct {
	Question
	Form template.HTML
}

// waiting shows what waits for an answer, whichever host asks.
func (c *Console) waiting(r *Request) error {
	var page waitingPage
	for _, v := range r.who {
		questions, total, err := v.Waiting(r.Context(), waitingShown)
		if err != nil {
			return err
		}
		page.More += max(0, total-waitingShown)
		for _, q := range questions {
			form, err := v.fragment("question", q.Body)
			if err != nil {
				return err
			}
			page.Questions = append(page.Questions, askedRow{q, form})
		}
		hint, err := v.fragment("nothing-waits", nil)
		if err != nil {
			return err
		}
		page.Hint += hint
	}
	return r.Show(Page{Template: "waiting", Title: "Waiting for an answer", Here: MenuWaiting, Body: page})
}
