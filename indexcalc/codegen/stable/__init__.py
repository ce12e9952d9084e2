"""Both passes in a form that stays finite: exponentials cancel before they are computed."""
