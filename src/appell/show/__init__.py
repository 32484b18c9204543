"""What people look at: a robot as text, figures, the report of the demo, and the stages of a formulation."""
