import "../styles/base.css";

export default {};
